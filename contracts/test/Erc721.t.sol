// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IERC721Metadata} from "@openzeppelin/contracts/token/ERC721/extensions/IERC721Metadata.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {vm} from "./support/Vm.sol";

/// Takes a lot by safeTransferFrom and tries to gain from inside the callback.
contract Reentering {
    TenantLots private immutable lots;
    uint256 public calls;

    constructor(TenantLots lots_) {
        lots = lots_;
        lots_.setDirectReceipt(true);
    }

    function onERC721Received(address, address from, uint256 id, bytes calldata) external returns (bytes4) {
        ++calls;
        require(lots.ownerOf(id) == address(this), "the lot is ours by now");
        try lots.transferFrom(from, address(this), id) {
            revert("stole it twice");
        } catch {}
        uint256[] memory ids = new uint256[](1);
        ids[0] = id;
        TenantLots.EventRef memory none;
        uint256 no = lots.offerCustody(ids, from, none);
        lots.cancelCustody(no, ids, 0);
        try lots.acceptCustody(no, ids, none) {
            revert("accepted a closed offer");
        } catch {}
        return this.onERC721Received.selector;
    }
}

/// Consents to transfers but cannot receive a token safely.
contract Deaf {
    constructor(TenantLots lots) {
        lots.setDirectReceipt(true);
    }
}

contract Erc721Test is TenantTest {
    function test_itSaysWhatItIs() public view {
        require(lots.supportsInterface(type(IERC165).interfaceId), "ERC-165");
        require(lots.supportsInterface(type(IERC721).interfaceId), "ERC-721");
        require(lots.supportsInterface(type(IERC721Metadata).interfaceId), "metadata");
        require(!lots.supportsInterface(0xffffffff), "nothing else");
        equal(keccak256(bytes(lots.name())), keccak256("Tenant"), "name");
        equal(keccak256(bytes(lots.symbol())), keccak256("LOT"), "symbol");
    }

    function test_unknownLotsHaveNoOwnerUriOrApproval() public {
        bytes memory unknown = abi.encodeWithSelector(TenantLots.UnknownLot.selector, 7);
        refuses(farm, abi.encodeCall(TenantLots.ownerOf, (7)), unknown);
        refuses(farm, abi.encodeCall(TenantLots.tokenURI, (7)), unknown);
        refuses(farm, abi.encodeCall(TenantLots.getApproved, (7)), unknown);
        refuses(farm, abi.encodeCall(TenantLots.approve, (mill, 7)), unknown);
        refuses(farm, abi.encodeCall(TenantLots.balanceOf, (address(0))), invalidAddress(address(0)));
        equal(bytes(lots.tokenURI(mint(farm, 1))).length, 0, "uri");
    }

    function test_anApprovedAddressTransfersOneLotAndNothingElse() public {
        uint256 id = mint(farm, 5);
        uint256 other = mint(farm, 5);
        approve(farm, id, lab);
        equal(lots.getApproved(id), lab, "approved");
        refuses(lab, useCall(id, 1), notCustodian(id, lab));
        refuses(lab, offerCall(id, mill), notCustodian(id, lab));
        refuses(lab, retireCall(id, ALL, SOLD), notCustodian(id, lab));
        directReceipt(mill, true);
        refuses(lab, transferCall(farm, mill, other), notCustodian(other, lab));
        vm.prank(lab);
        lots.transferFrom(farm, mill, id);
        equal(lots.custodianOf(id), mill, "moved");
    }

    function test_anApprovalCanBeTakenBack() public {
        uint256 id = mint(farm, 5);
        approve(farm, id, lab);
        approve(farm, id, address(0));
        equal(lots.getApproved(id), address(0), "none");
        directReceipt(lab, true);
        refuses(lab, transferCall(farm, lab, id), notCustodian(id, lab));
    }

    function test_onlyTheOwnerAndItsOperatorsApprove() public {
        uint256 id = mint(farm, 5);
        refuses(mill, abi.encodeCall(TenantLots.approve, (mill, id)), notCustodian(id, mill));
        approveAll(farm, mill, true);
        require(lots.isApprovedForAll(farm, mill), "operator");
        approve(mill, id, shop);
        equal(lots.getApproved(id), shop, "approved by the operator");
    }

    function test_anApprovalEndsWithCustody() public {
        directReceipt(mill, true);
        directReceipt(lab, true);
        uint256 accepted = mint(farm, 5);
        approve(farm, accepted, lab);
        handOver(farm, accepted, mill);
        refusesLab(mill, accepted);
        uint256 transferred = mint(farm, 5);
        approve(farm, transferred, lab);
        transfer(farm, transferred, mill);
        refusesLab(mill, transferred);
        uint256 packed = mint(farm, 5);
        approve(farm, packed, lab);
        unpack(farm, pack(farm, packed));
        refusesLab(farm, packed);
    }

    function test_anOldApprovalDoesNotComeBackWithALaterOne() public {
        directReceipt(lab, true);
        uint256 id = mint(farm, 5);
        approve(farm, id, lab);
        handOver(farm, id, mill);
        handOver(mill, id, farm);
        approve(farm, id, shop);
        equal(lots.getApproved(id), shop, "the new one");
        refuses(lab, transferCall(farm, lab, id), notCustodian(id, lab));
    }

    function test_anOldApprovalDoesNotComeBackWithTheLot() public {
        uint256 id = mint(farm, 5);
        approve(farm, id, lab);
        handOver(farm, id, mill);
        handOver(mill, id, farm);
        equal(lots.getApproved(id), address(0), "by offers");
        directReceipt(mill, true);
        directReceipt(farm, true);
        approve(farm, id, lab);
        transfer(farm, id, mill);
        transfer(mill, id, farm);
        equal(lots.getApproved(id), address(0), "by transfers");
    }

    function test_aFreedLotIsApprovedOnceItIsSettled() public {
        uint256 id = mint(farm, 5);
        unpack(farm, pack(farm, id));
        refuses(farm, abi.encodeCall(TenantLots.approve, (mill, id)), notCustodian(id, farm));
        lots.settle(one(id));
        approve(farm, id, mill);
        equal(lots.getApproved(id), mill, "approved");
    }

    function test_aTransferNamesTheHolder() public {
        uint256 id = mint(farm, 5);
        directReceipt(shop, true);
        refuses(farm, transferCall(mill, shop, id), notCustodian(id, mill));
    }

    function test_recalledLotsGoDirectlyToThoseWhoTakeReturnsOnly() public {
        uint256 id = mint(farm, 5);
        recall(id);
        directReceipt(mill, true);
        directReceipt(recycler, true);
        refuses(farm, transferCall(farm, mill, id), isRecalled(id));
        transfer(farm, id, recycler);
        equal(lots.custodianOf(id), recycler, "returned");
    }

    function test_aReceiverGainsNothingFromReentering() public {
        uint256 id = mint(farm, 5);
        Reentering receiver = new Reentering(lots);
        vm.prank(farm);
        lots.safeTransferFrom(farm, address(receiver), id);
        equal(receiver.calls(), 1, "called");
        equal(lots.ownerOf(id), address(receiver), "owner");
        equal(status(id), ACTIVE, "status");
        equal(lots.balanceOf(farm), 0, "sender");
        equal(lots.balanceOf(address(receiver)), 1, "receiver");
    }

    function test_aContractThatCannotReceiveDoesNot() public {
        uint256 id = mint(farm, 5);
        address deaf = address(new Deaf(lots));
        bytes memory call = abi.encodeWithSignature("safeTransferFrom(address,address,uint256)", farm, deaf, id);
        refuses(farm, call, abi.encodeWithSelector(IERC721Errors.ERC721InvalidReceiver.selector, deaf));
        equal(lots.ownerOf(id), farm, "stays");
    }

    function refusesLab(address holder, uint256 id) private {
        equal(lots.getApproved(id), address(0), "approval");
        refuses(lab, transferCall(holder, lab, id), notCustodian(id, lab));
    }
}
